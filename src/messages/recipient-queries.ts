/**
 * SQL: the address to which a message went, given its row `message` and its contact's row `contact`. For a message that is in
 * flight, or whose sending process died, the row stores no recipient, only the time of the claim. The contact may have changed
 * their address since, so the address at that time is looked up.
 */
export const RECIPIENT = `coalesce(message.recipient, (
  select email from former_addresses where contact_id = contact.id and until > message.claimed_at order by until limit 1
), contact.email)`
