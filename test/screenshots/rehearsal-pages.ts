import type { Page } from 'playwright-core'

/** Lists the pages of a rehearsal: for a contact, and for all contacts. */
export const rehearsalPages = (automationId: string, contactId: string) => [
  {
    name: 'rehearsal',
    path: `/automations/${automationId}/rehearse?contact=${contactId}&at=2026-12-01T09:00:00.000Z`,
    act: (page: Page) => page.getByRole('region', { name: 'What is read' }).getByRole('heading').waitFor(),
  },
  {
    name: 'rehearsal-audience',
    path: `/automations/${automationId}/rehearse?for=audience`,
    act: async (page: Page) => {
      await page.getByRole('button', { name: 'Rehearse for an audience' }).click()
      await page.getByRole('table', { name: 'Contacts' }).waitFor()
    },
  },
]
