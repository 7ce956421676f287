import type { Email } from '../../src/smtp/transport.ts'

/** An email as a transport gets it. */
export const anEmail: Email = {
  from: 'Dripline <from@example.com>',
  to: 'to@example.com',
  messageId: '<abc@example.com>',
  subject: 'Hi',
  html: null,
  text: 'Hi',
}
