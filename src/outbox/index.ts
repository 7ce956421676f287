export { createQueueLimit, type Dependencies, type Log, type Metrics, noMetrics } from './dependencies.ts'
export {
  advanceBatchJob,
  recoverDeliveries,
  type Delivery,
  FIRST_TURN,
  IS_PENDING,
  type Lane,
  LANES,
  leaseDeliveries,
  leaveToRelay,
  enqueue,
  enqueueEach,
  enqueueForCaller,
  enqueueForRelay,
  deleteStarts,
  type NewDelivery,
  deferDeliveries,
  completeDeliveries,
  takeStarts,
  STANDING_JOBS,
  TURN,
} from './queries.ts'
export { OutboxDelivery } from './entities.ts'
