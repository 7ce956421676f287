export { agreeOnMail, mailModeOf, watchMailMode } from './mail-mode.ts'
export { agreeOnSender, NO_SENDER } from './mail-sender.ts'
export { readMailSender } from './queries.ts'
export { agreeOnWorkplace, installationOf } from './workplace.ts'
