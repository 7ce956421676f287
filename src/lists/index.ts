export { List } from './entities.ts'
