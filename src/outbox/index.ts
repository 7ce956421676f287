export { createCrowded, type Dependencies, type Log, type Metrics, noMetrics } from './dependencies.ts'
export {
  ACTIVE_OF_PENDING,
  advanceWalk,
  type Delivery,
  DELIVERY_COLUMNS,
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
