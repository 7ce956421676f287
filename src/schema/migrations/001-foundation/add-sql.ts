/** Adds a statement to the migration. */
export type AddSql = (statement: string) => void
