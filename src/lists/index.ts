export { List, ListAsk, ListMember, ListRequest } from './entities.ts'
