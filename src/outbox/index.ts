export { createCrowded, type Dependencies, type Log, type Metrics, noMetrics } from './dependencies.ts'
export {
  advanceWalk,
  type Delivery,
  deliveryColumns,
  type DeliveryRow,
  FIRST_TURN,
  IS_PENDING,
  type Lane,
  LANES,
  leaseDeliveries,
  leaveToRelay,
  enqueue,
  enqueueAgain,
  putOffDeliveries,
  settleDeliveries,
  STANDING,
  toDelivery,
  TURN,
  WRITER_LEASE_SECONDS,
} from './queries.ts'
export { OutboxDelivery } from './entities.ts'
