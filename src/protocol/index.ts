export { type DoctorFinding, type DoctorReport } from "./doctor.ts";
export { type WireEvent } from "./wire-event.ts";
