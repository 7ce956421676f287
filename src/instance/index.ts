export { agreeOnMail, mailModeOf, watchMailMode } from './mail-mode.ts'
export { agreeOnSender, NO_SENDER } from './mail-sender.ts'
export { agreeOnBounceDomain } from './bounce-domain.ts'
export { agreeOnPublicUrl, findPublicUrl, NO_PUBLIC_URL } from './public-url.ts'
export {
  assertLostUntil,
  isSendingDisabled,
  shortenReconciliation,
  leaseReconciliation,
  linkSecretOf,
  readBounceDomain,
  readLinkSecret,
  readPublicUrl,
  sayPublicUrl,
  readLostBefore,
  readLostUntil,
  readMailMode,
  readMailSender,
  readRestoredAt,
  sayMailSender,
  sayReconciled,
  sayRestored,
} from './queries.ts'
export { assertWorkplace, findWorkplaceProblem, installationOf } from './workplace.ts'
export type { Workplace } from './queries.ts'
export { Installation } from './entities.ts'
export { NOT_RECONCILED, watchRestored } from './restored.ts'
