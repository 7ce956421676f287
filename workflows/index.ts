export { enrollment } from './enrollment.ts'
export { retry } from './retry.ts'
