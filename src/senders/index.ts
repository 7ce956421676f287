export { createDns, type Dns } from './dns.ts'
export { SenderSettings } from './entities.ts'
export { type DkimKey, dkimOf, mailboxOf, senderOf, type WorkspaceSender } from './sender.ts'
export { SECRETS_KEY_MISSING } from './refusals.ts'
