/** The route of the page. */
export const ROUTE = '/w/$workspaceId/automations/$automationId/rehearse'
