export { agreeOnMail, mailModeOf, watchMailMode } from './mail-mode.ts'
export { agreeOnSender, NO_SENDER } from './mail-sender.ts'
export { agreeOnBounceDomain } from './bounce-domain.ts'
export { agreeOnPublicUrl, findPublicUrl, NO_PUBLIC_URL } from './public-url.ts'
export {
  assertLostUntil,
  forgetWorkplace,
  leaseReconciliation,
  readLastWork,
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
  readWorkplace,
  sayEnded,
  sayMailSender,
  sayReconciled,
  sayRestored,
  sayWorking,
} from './queries.ts'
export { agreeOnWorkplace, installationOf, isSamePlace, type Mover, whyElsewhere } from './workplace.ts'
export type { Workplace } from './queries.ts'
export { Installation } from './entities.ts'
export { NOT_RECONCILED, watchRestored } from './restored.ts'
