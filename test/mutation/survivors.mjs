// Why each mutant that survives may. `code` is the source that was changed, `mutants` what it became (any, where left
// out). "Equivalent": no caller can tell the difference. "Kept": it can be told, and no test is to.
export const SURVIVORS = [];
