export { List, ListMember, ListRequest } from './entities.ts'
