import { expect, test } from "vitest";
import { hasCapability, USER_RIGHTS, type RoleRights } from "./rights.ts";
import { shippedRole } from "../../../test/support/shipped-roles.ts";

const WORKER = "file_read file_write execute execute_inspection network network_read";
const EVERYTHING = `${WORKER} knowledge_write agent_control pipeline_control credential_control configure`;

test.each([
  ["user", EVERYTHING],
  ["orchestrator", "file_read agent_control pipeline_control"],
  ["guide", "file_read agent_control"],
  ["architect", "file_read execute_inspection agent_control"],
  ["librarian", "file_read execute_inspection network_read knowledge_write"],
  ["archivalist", "file_read knowledge_write"],
  ["academic", "file_read network_read"],
  ["inspector", "file_read execute_inspection"],
  ["critic", "file_read execute_inspection"],
  ["engineer", WORKER],
  ["designer", WORKER],
  ["tester", WORKER],
  ["specialist", WORKER],
  ["scribe", WORKER],
  ["somebody", "file_read"],
  ["constructor", "file_read"],
  ["", "file_read"],
])("SEC-003 SEC-004: %s may: %s", (id, capabilities) => {
  const role: RoleRights = id === "user" ? USER_RIGHTS : shippedRole(id);
  expect(USER_RIGHTS.capabilities.filter((one) => hasCapability(role, one))).toEqual(capabilities.split(" "));
});
