export { enrollment } from './enrollment.ts'
export { retry } from './retry.ts'
export { campaign } from './campaign.ts'
