/**
 * SQL: to which address a message went, of its row `message` and the row `contact` whose it is. Of whoever is in the middle of the hand-over,
 * or died there, nothing is noted but when that was: she had an address then that she may have given up since.
 */
export const RECIPIENT = `coalesce(message.recipient, (
  select email from former_addresses where contact_id = contact.id and until > message.claimed_at order by until limit 1
), contact.email)`
