export { ProvenDomain, SenderSettings, SendRate, StoredDkimKey, WarmUpDay } from './entities.ts'
export { type DkimKey, dkimOf, mailboxOf, senderOf, type WorkspaceSender } from './sender.ts'
export { isOwnFrom } from './own-from.ts'
export { refusalOf } from './proven-domains.ts'
export { readSender } from './sender-queries.ts'
export { getSender } from './settings.ts'
export { takeSendTurns } from './send-rate-queries.ts'
export {
  allowedOn,
  readWarmUp,
  returnQuota,
  returnUnusedQuota,
  type QuotaShare,
  takeWarmUpQuota,
  type WarmUp,
} from './warm-up-queries.ts'
