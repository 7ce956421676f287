/** Builds that are broken on purpose: the suite has to find out. Each replaces one text in one file of the source. */
export interface Mutant {
  what: string
  file: string
  replace: string
  by: string
}

export const MUTANTS: Record<string, Mutant> = {
  'unconditional-claim': {
    what: 'a retry sends what an earlier attempt may have sent',
    file: 'src/db/queries/ledger.ts',
    replace: `where message.status = 'DEFERRED' or (message.status = 'SENDING' and message.claim = excluded.claim)`,
    by: 'where true',
  },
  'no-sweeper': {
    what: 'nobody delivers what a crash left undelivered',
    file: 'src/services/relay.ts',
    replace: 'if (await relayOnce(dependencies)) continue',
    by: '',
  },
  'recorded-before-start': {
    what: 'an enrollment is recorded before its workflow is started',
    file: 'src/services/enroll-contact.ts',
    replace: '  const enrolled =\n',
    by: `  await recordEnrollment(fork, { id: call.id, automationId, contactId, cause, triggerEventId: null, enrolledAt })
  const enrolled =
`,
  },
}
