/** One model of one provider. */
export interface Target {
  provider: string;
  model: string;
}

export function targetId(target: Target): string {
  return `${target.provider}/${target.model}`;
}
