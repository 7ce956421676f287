export { setImmediate } from 'node:timers/promises'
export { delay as setTimeout } from './virtual-time.ts'
