import { addressOf, domainOf, emailKey } from '../platform/email-address.ts'

/** The address and the domain from which a workspace may send an email that names its own `from`. */
interface Senders {
  /** The address of the workspace's sender; `null` if it has none. */
  workspace: string | null
  /** The sender of the instance, which a workspace without its own uses; `null` if there is none. */
  instance: string | null
}

/**
 * Returns whether an email may name a sender: an address at the domain of the workspace's sender, or the address of the instance's
 * sender if the workspace has none. Checked when the email is accepted, and again when it is sent.
 */
export function isOwnFrom(from: string, { workspace, instance }: Senders): boolean {
  if (workspace !== null) return domainOf(from)?.toLowerCase() === domainOf(workspace)?.toLowerCase()
  return instance !== null && emailKey(addressOf(instance)) === emailKey(addressOf(from))
}
