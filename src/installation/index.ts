export { agreeOnMail, mailModeOf, watchMailMode } from './mail-mode.ts'
export { agreeOnSender, NO_SENDER } from './mail-sender.ts'
export {
  assertLostUntil,
  isGivingUp,
  leaseReconciliation,
  readLostUntil,
  readMailMode,
  readMailSender,
  readRestoredAt,
  sayGivenUp,
  sayReconciled,
  sayRestored,
} from './queries.ts'
export { agreeOnWorkplace, installationOf, type Mover, whyElsewhere } from './workplace.ts'
export { Installation } from './entities.ts'
export { NOT_RECONCILED, watchRestored } from './restored.ts'
