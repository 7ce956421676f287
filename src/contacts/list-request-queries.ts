/** Who has been asked whether she wants to be in a list, and has said nothing, is not asked again within so many hours. */
const ASKED_AGAIN_AFTER_HOURS = 24

/**
 * The part of a statement that writes who is to be asked whether she wants to be in a list: see docs/consent.md. Whoever has been asked
 * just now is left alone, as is who is in the list, or has left it by herself.
 *
 * @param asked a query of `list_id`, `contact_id` and `email_key`. What is new of it is called `requested`.
 * @param isResubscribe an expression: whether who has left a list is asked all the same
 */
export const requestLists = (asked: string, isResubscribe = 'false'): string => `
requested as (
  insert into list_requests as request (list_id, contact_id, id, email_key)
  select list_id, contact_id, gen_random_uuid(), email_key from (${asked}) asked
  where not exists (select from list_members where list_id = asked.list_id and contact_id = asked.contact_id)
    and (${isResubscribe} or not exists (
      select from list_opt_outs where list_id = asked.list_id and contact_id = asked.contact_id
    ))
  on conflict (list_id, contact_id) do update
    -- At another address she is somebody else: links that went to the one before confirm nothing.
    set id = case when request.email_key = excluded.email_key then request.id else excluded.id end,
      email_key = excluded.email_key, requested_at = now()
    where request.email_key <> excluded.email_key
      or request.requested_at < now() - interval '${ASKED_AGAIN_AFTER_HOURS} hours'
  returning list_id, contact_id
)`
