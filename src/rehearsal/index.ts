export { advanceRehearsal } from './advance-rehearsal.ts'
export { Rehearsal, RehearsedContactRow } from './entities.ts'
export { failRehearsal } from './rehearsals.ts'
export { deleteOldRehearsals } from './store-queries.ts'
