/** The worlds, and what happens in each. */
export const WORLDS = {
  enroll: 'one contact and two emails with a wait; the request to enroll is repeated until it is acknowledged',
  twice: 'two concurrent requests enroll the same contact: one enrollment',
  event: 'an event that is fired until it is acknowledged starts an automation once',
  events:
    'two events for the same contact and automation: the second is processed or starts another enrollment, and is not lost',
  received: 'an event during an enrollment is processed, and starts nothing when it is delivered again after the end',
  again: 'an event that is delivered again after its enrollment meets another one, which is not lost',
  lost: 'Temporal is restored without an enrollment that the database has, and the contact enters again: the enrollment continues where it was',
  behind:
    'Temporal is restored with an enrollment that has ended in the database, and the contact enters again: the new enrollment starts',
  idempotent: 'a pause request, repeated with its Idempotency-Key after another client has resumed, changes nothing',
  pause: 'an automation is paused and resumed while emails are sent: none begins in between, and all arrive',
  chatty:
    'an automation is paused and resumed while so many signals arrive that workflows continue as new at any point: all emails arrive',
  delete: 'an automation is deleted while its emails are sent: none is accepted after the response',
  exit: 'an enrollment is ended while its emails are sent: none is accepted after the response, and a contact who enters again gets all',
  leave: 'an exit event arrives while the emails of an enrollment are sent: none is claimed after its response',
  unsubscribe:
    'a contact unsubscribes while their emails are sent: no marketing email begins after the response, and a receipt still arrives',
  campaign: 'a campaign to three contacts: each gets one email, and no other contact does',
  'campaign-overtaken':
    'a worker is stopped at a chosen instant of a campaign, and continues after another worker has sent it',
  'campaign-worker-dies':
    'a worker is killed at each step of a campaign: each recipient gets one email, or its outcome is unknown',
  'campaign-paused':
    'a campaign is paused and resumed twice, at chosen instants: no email begins in between, and each recipient gets one',
  'campaign-stopped':
    'a recipient opts out, is suppressed or erased, or the campaign is cancelled, at chosen instants: nothing is sent after the response',
  'campaign-scheduled': 'a scheduled campaign is paused or cancelled before its time: nothing is sent before its time',
  'campaign-throttled': 'a campaign keeps a rate of one email a minute, and reaches all recipients',
  'campaign-test': 'an A/B test: half of the recipients get one of two variants, the others the chosen one, each once',
  'warm-up': 'a sender with a limit of two emails a day sends the others on the next day',
  retry:
    'a rejected email is retried, by two operators at once and concurrently with a pause or an opt-out: it arrives once, or not after the opt-out',
  refused: 'the mail server rejects an email: it is FAILED, and the next one arrives',
  captured:
    'the emails of a test workspace are CAPTURED and none is sent, until the workspace is live and one is retried',
  'late-answer':
    'a worker is stopped past its lease before it records that an email was sent: the message is UNCONFIRMED, and then SENT',
  'failed-record': 'the database fails while the outcome of an email is recorded: the message is SENT',
  'claim-answer':
    'the response to a claim is lost, and the email is sent later; or the worker is stopped past its lease before it arrives, and the message stays UNCONFIRMED',
  'late-begin':
    'a worker is stopped between its claim and the transmission, for less than its lease: the email is sent later, or not if the contact unsubscribes',
  'campaign-late-begin': 'the same for a campaign: each recipient gets one email',
  'slow-mail': 'the mail server takes a minute for an email: the worker renews its lease, and the message is SENT',
  'campaign-retry':
    'a rejected email of a campaign is retried, and the campaign is cancelled concurrently: nothing is sent after the response',
  decide: 'one operator retries an unconfirmed message, and another one dismisses it: the email arrives at most once',
  dismiss:
    'an operator dismisses a message while another one retries it: only the first of both requests is carried out',
  'retry-unconfirmed':
    'a message that may have arrived is retried, and the mail server rejects the retry: it stays UNCONFIRMED',
  'fail-over': 'two mail servers, of which the first one fails: each email arrives once, through one of them',
  'double-opt-in':
    'a contact confirms a list: they get one confirmation request, and the welcome email only afterwards',
  import:
    'a file is imported in chunks that are repeated: each row starts one enrollment, and contacts who opted out get nothing',
  email:
    'a transactional email is accepted by a request that is repeated until it is acknowledged, immediately or for later: it arrives once',
  'email-stopped':
    'a transactional email is cancelled, its address suppressed, or its contact erased, at chosen instants: nothing is sent after the response',
  webhooks:
    'two contacts are changed three times each while a worker sends the events, and may be stopped: each event arrives, in the order of its contact',
  'webhooks-stopped':
    'a contact is erased, or a webhook deleted or disabled, while a worker that has taken the events is stopped: none is sent a second after the response',
  move: 'a version without the wait and the third email is published, and the contact moves to it at a chosen instant: each of its emails arrives once',
  'move-reordered':
    'a contact moves to a version in which their first email comes later, and then loses the workflow: no email arrives twice, and none is skipped',
  erase:
    'a contact is erased while emails to it are sent: none is accepted after the response, and no data of it is left',
}

export type WorldName = keyof typeof WORLDS
