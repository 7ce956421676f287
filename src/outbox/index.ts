export { createCrowded, type Dependencies, type Log, type Metrics, noMetrics } from './dependencies.ts'
export {
  advanceWalk,
  bringDeliveriesBack,
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
  putOffDeliveries,
  settleDeliveries,
  takeStarts,
  STANDING,
  TURN,
} from './queries.ts'
export { OutboxDelivery } from './entities.ts'
