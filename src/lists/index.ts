export { List, ListMember } from './entities.ts'
