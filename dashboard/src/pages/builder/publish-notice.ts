/** Returns the ID of the notification that a publish request may have succeeded. */
export const publishNoticeId = (automationId: string): string => `published ${automationId}`
