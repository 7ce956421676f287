/** The task queue of emails that wait for a connection. It is separate so that they delay no other work. */
export const sendingQueue = (taskQueue: string): string => `${taskQueue}-sending`
