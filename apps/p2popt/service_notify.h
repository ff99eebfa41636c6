/* Tells the service manager that started a process how it is: the protocol of sd_notify(3). */
#ifndef SERVICE_NOTIFY_H
#define SERVICE_NOTIFY_H

/**
 * Send assignments, one a line ("READY=1\nSTATUS=round 5"), as one datagram to the socket that NOTIFY_SOCKET names.
 *
 * Never waits; without NOTIFY_SOCKET, or with one that nobody reads, nothing happens.
 */
void service_notify(const char *assignments);

#endif
