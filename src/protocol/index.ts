export { type DoctorFinding, type DoctorReport } from "./doctor.ts";
export { type TaskDetail, type TaskLine, type TaskSummary, type TaskWhy } from "./task.ts";
export { type WireEvent } from "./wire-event.ts";
