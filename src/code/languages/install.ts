/** The ways of installing that several languages share. */
export const npm = (...packages: string[]): readonly string[] => ["npm", "install", "-D", ...packages];
export const pip = (tool: string): readonly string[] => ["uv", "pip", "install", tool];
