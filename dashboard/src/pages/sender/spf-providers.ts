/** The SPF domains that mail providers document for senders, by name. */
export const SPF_PROVIDERS: readonly { value: string; label: string }[] = [
  { value: 'amazonses.com', label: 'Amazon SES' },
  { value: 'spf.brevo.com', label: 'Brevo' },
  { value: 'spf.messagingengine.com', label: 'Fastmail' },
  { value: '_spf.google.com', label: 'Google Workspace' },
  { value: 'mailgun.org', label: 'Mailgun' },
  { value: 'spf.protection.outlook.com', label: 'Microsoft 365' },
  { value: 'spf.mtasv.net', label: 'Postmark' },
  { value: 'sendgrid.net', label: 'SendGrid' },
]

/** The part of the SPF record that the provider replaces. */
export const SPF_PLACEHOLDER = 'YOUR-PROVIDER'
