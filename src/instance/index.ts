export { agreeOnMail, mailModeOf } from './mail-mode.ts'
export { agreeOnSender, NO_SENDER } from './mail-sender.ts'
export { settleBounceDomain } from './bounce-domain.ts'
export { agreeOnPublicUrl, findPublicUrl, PUBLIC_URL_NOT_HTTPS } from './public-url.ts'
export {
  linkSecretOf,
  readBounceDomain,
  readLinkSecret,
  readPublicUrl,
  readMailMode,
  readMailSender,
  setMailSender,
} from './queries.ts'
export { assertTemporalBinding, findTemporalBindingProblem, instanceIdOf } from './temporal-namespace.ts'
export type { TemporalBinding } from './queries.ts'
export { Instance } from './entities.ts'
export { assertLostUntil, closeGate, GATE_COLUMNS, openGate, readSendingGate } from './sending-gate-queries.ts'
export { gateOf, type GateRow, isDelivered, mayBeLost, SENDING_DISABLED, type SendingGate } from './sending-gate.ts'
export { type InstanceMailDependencies, sendInstanceMail } from './instance-mail.ts'
export { createOwnerMail, type SendNotice } from './owner-mail.ts'
export { watchSendingGate } from './watch-sending-gate.ts'
