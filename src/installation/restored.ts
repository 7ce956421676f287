/** Said wherever mail is held back because of it. */
export const NOT_RECONCILED =
  'This installation was restored from a backup, and sends nothing until its ledger and Temporal have been held against each ' +
  'other: npm run cli -- reconcile. (reconcile --waive lets it send without that.)'
