/** The views a store must be opened with for the gate to read its own state quickly. */
import type { View } from "../journal/index.ts";
import { breakerRegister } from "./breaker/breakers.ts";
import { holdsView } from "./budget/holds.ts";
import { pauseRegister } from "./limits/provider-limits.ts";
import { usageView } from "./usage/usage-view.ts";

export const projectModelViews: readonly View<unknown>[] = [usageView];
export const machineModelViews: readonly View<unknown>[] = [breakerRegister.view, pauseRegister.view, holdsView];
