/**
 * Sentences for errors of the API, by their code, in the words of the pages: the messages of these errors name fields, values or
 * requests of the API.
 */
export const ERROR_SENTENCES: Readonly<Record<string, string>> = {
  automation_confirms_list:
    'This is the only automation that sends confirmation emails for its list. Activate another one, or turn off double opt-in of the list first.',
  campaign_status_wrong: 'The campaign has changed in the meantime. Reload the page to see its status.',
  confirmation_automation_missing:
    'No automation sends confirmation emails for this list. Activate one with the trigger “Asked to confirm (double opt-in)” and a confirmation link in its email first.',
  contact_left_list:
    'The contact left this list themselves. If they asked to rejoin, add them under Consent on their page.',
  delivery_unconfirmed: 'The email may have been sent already, so a retry may arrive twice.',
  dkim_key_missing: 'There is no next DKIM key. Create one first.',
  email_not_cancellable: 'The email is already being sent, or its outcome is final.',
  external_id_taken: 'Another contact has this external ID.',
  from_address_missing: 'Emails are signed for the domain of the From address. Save a From address first.',
  message_not_retryable:
    'The message has changed in the meantime. Only failed, captured and unconfirmed messages can be retried.',
  message_not_unconfirmed: 'The message is no longer unconfirmed, or its automation was deleted.',
  metadata_too_large: 'The attributes of a contact must not exceed 64 KB.',
  webhook_disabled: 'This webhook is disabled. Enable it first.',
}
