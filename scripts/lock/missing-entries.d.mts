export interface LockEntry {
  version?: string;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  dev?: boolean;
  optional?: boolean;
  optionalDependencies?: Record<string, string>;
}

export function missingEntries(lock: { packages: Record<string, LockEntry> }): { place: string; entry: LockEntry }[];
