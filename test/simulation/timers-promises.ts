export { delay as setTimeout } from './virtual-time.ts'
