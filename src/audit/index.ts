export { type Actor, ACTORS, AuditEntry } from './entities.ts'
export { entriesOf, forgetEntries, type ListedEntry, type NewEntry, writeEntry } from './queries.ts'
