/** The worlds there are, and what happens in each. */
export const WORLDS = {
  enroll: 'one contact, two emails with a wait, enrolled by a call that is repeated until it is acknowledged',
  twice: 'two calls enroll the same contact at once: one enrollment',
  event: 'an event that is fired until it is acknowledged starts a sequence, once',
  events:
    'two events for the same contact and automation: the second is received, or starts another sequence, and is not lost',
  received:
    'an event in the middle of a sequence is received, and starts nothing when it is delivered again after the end',
  again: 'an event that is delivered again after its sequence meets another one: that one is not lost',
  lost: 'Temporal comes back without an enrollment that the ledger has, and the contact enters again: it goes on where it was',
  behind:
    'Temporal comes back with an enrollment that has ended by the ledger, and the contact enters again: who came is let in',
  idempotent:
    'a call that pauses, repeated with its Idempotency-Key after somebody else has resumed, changes nothing again',
  pause: 'a pause and its end while emails are sent: none is begun in between, and all come',
  chatty:
    'a pause and its end, beside so much that comes that new runs begin in the middle of everything: all emails come',
  delete: 'an automation is deleted while its emails are sent: none is taken after the answer',
  exit: 'an enrollment is ended while its emails are sent: none is taken after the answer, and whoever enters again gets all',
  unsubscribe:
    'a contact unsubscribes while her emails are sent: none of marketing is begun after the answer, and a receipt still comes',
  campaign: 'a campaign to three contacts: each is mailed once, and nobody else is',
  'campaign-overtaken':
    'a worker is stopped at a chosen instant of a campaign, and goes on when another one has sent it',
  'campaign-worker-dies':
    'a worker is killed at each step of a campaign: each recipient is mailed once, or nobody knows',
  'campaign-paused':
    'a campaign is paused and resumed twice, at chosen instants: nothing begins in between, and each is mailed once',
  'campaign-stopped':
    'a recipient opts out, is suppressed or erased, or the campaign is cancelled, at chosen instants: nothing is sent after the answer',
  'campaign-scheduled':
    'a campaign waits for its time, and is paused or cancelled before: nothing is sent before its time',
  'campaign-throttled': 'a campaign keeps a rate of one email a minute, and mails everybody',
  'campaign-test': 'an A/B test: half get one of two variants, the others the one that is chosen, each once',
  'warm-up': 'a sender that may send two emails a day mails the others on the next day',
  retry:
    'an email that was refused is tried again, by two operators at once and beside a pause or an opt-out: it comes once, or not after the opt-out',
  refused: 'the mail server refuses an email: it is FAILED, and the next one comes',
  captured:
    'the emails of a test workspace are CAPTURED and none is sent, until the workspace is live and one is retried',
  'late-answer':
    'a worker is stopped past its lease before it records that an email was sent: the message is UNCONFIRMED, and then SENT',
  'claim-answer':
    'the answer to a claim is lost, and the email is sent later; or the worker is stopped past its lease before it comes, and the message stays UNCONFIRMED',
  'late-begin':
    'a worker is stopped between its claim and the transmission, for less than its lease: the email is sent later, or not if the contact unsubscribes',
  'campaign-late-begin': 'the same for an email of a campaign: each recipient is mailed once',
  'slow-mail': 'the mail server takes a minute for an email: the worker renews its lease, and the message is SENT',
  'campaign-retry':
    'an email of a campaign that was refused is retried, and the campaign is cancelled beside it: nothing is sent after the answer',
  decide:
    'of an email of which nobody knows, one operator has it sent again and another one dismisses it: it comes once at most',
  dismiss:
    'an operator dismisses a message while another one has it retried: only the first of both requests is carried out',
  'retry-unconfirmed':
    'a message that may have arrived is retried, and the mail server rejects the retry: it stays UNCONFIRMED',
  'fail-over': 'two mail servers, of which the first one fails: each email comes once, by one of them',
  'double-opt-in': 'a contact confirms that they want to be in a list: they are asked once, and only then welcomed',
  import:
    'a file is imported in pieces that are repeated: each row starts one sequence, and who opted out gets nothing',
  erase: 'a contact is erased while emails to it are sent: none is taken after the answer, and nothing is left of it',
}

export type WorldName = keyof typeof WORLDS
