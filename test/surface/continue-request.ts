/** What `continue-request.test.ts` and its long form share. */
import { simplePiece } from "../support/team-project.ts";

export const pieces = [simplePiece("loud")];
