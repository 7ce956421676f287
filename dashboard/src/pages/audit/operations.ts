/** Kinds of objects that audit entries are about. */
export type ObjectKind =
  'automation' | 'campaign' | 'template' | 'list' | 'segment' | 'contact' | 'member' | 'API key' | 'import' | 'webhook'

/** Operations whose ID does not contain their object, or contains another. */
const KINDS: Record<string, ObjectKind> = {
  saveDraft: 'automation',
  discardDraft: 'automation',
  replaceSteps: 'automation',
  enrollContact: 'automation',
  endEnrollment: 'automation',
  skipWait: 'automation',
  fireEvent: 'contact',
}

/** Finds what an operation is about by its ID, such as `updateAutomation`. */
export const kindOf = (operation: string): ObjectKind | undefined =>
  KINDS[operation] ??
  (
    [
      'automation',
      'campaign',
      'template',
      'list',
      'segment',
      'contact',
      'member',
      'API key',
      'import',
      'webhook',
    ] as const
  ).find((kind) => operation.toLowerCase().includes(kind.toLowerCase().replace(' ', '')))

/** Labels of operations whose ID does not read well. */
const LABELS: Record<string, string> = {
  upsertContact: 'Create or update contact',
  upsertContacts: 'Create or update contacts',
  fireEvent: 'Send event',
  receiveSourceCalls: 'Receive Segment calls',
  receiveSourceBatch: 'Receive Segment calls',
  tagContact: 'Add tag',
  untagContact: 'Remove tag',
  addToList: 'Add contact to list',
  removeFromList: 'Remove contact from list',
  enrollContact: 'Add contact to automation',
  endEnrollment: 'Remove contact from automation',
  skipWait: 'Skip wait',
  moveClock: 'Move test clock',
  replaceTemplate: 'Update template',
  uploadMediaFile: 'Upload image',
  updateMediaFile: 'Update image',
  deleteMediaFile: 'Delete image',
  testTemplate: 'Send test email',
  uploadImportChunk: 'Import contacts',
  retryMessage: 'Resend message',
  retryMessages: 'Resend messages',
  invite: 'Invite member',
  updateMember: 'Change role',
  setSender: 'Update sender',
  createDkimKey: 'Create DKIM key',
  switchDkimKey: 'Switch DKIM key',
  deleteDkimKey: 'Delete DKIM keys',
  setWarmUp: 'Update warm-up',
  endWarmUp: 'End warm-up',
  setFeedbackSource: 'Connect provider webhook',
  deleteFeedbackSource: 'Disconnect provider webhook',
  verifyCampaignReport: 'Verify delivery report',
  createApiKey: 'Create API key',
  rotateApiKey: 'Rotate API key',
  deleteApiKey: 'Delete API key',
  rotateWebhookEndpointSecret: 'Rotate webhook secret',
  rotateWebhookSecret: 'Rotate secret of WEBHOOK steps',
  testWebhook: 'Send test event',
  replayWebhookDelivery: 'Send event again',
  replayWebhookDeliveries: 'Send events again',
  signInWithPasskey: 'Sign in with a passkey',
  completeOidcSignIn: 'Sign in with single sign-on',
  failedSignIn: 'Wrong password at sign-in',
  endAllSessions: 'Sign out everywhere',
}

/** Turns an operation ID such as `updateAutomation` into words. */
export function operationLabel(operation: string): string {
  const label = operation.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return LABELS[operation] ?? label[0]!.toUpperCase() + label.slice(1)
}
