// A minimal HTTP client: one keep-alive connection with one GET in flight at a time. It uses little CPU, because the
// service runs on the same machine.
import net from 'node:net';

export class Client {
  constructor(url, header) {
    this.url = new URL(url);
    this.request = `GET ${this.url.pathname} HTTP/1.1\r\nHost: ${this.url.host}\r\n${header}\r\n\r\n`;
  }

  connect() {
    return new Promise((resolve, reject) => {
      this.socket = net.connect({ host: this.url.hostname, port: Number(this.url.port), noDelay: true });
      this.socket.setEncoding('latin1'); // latin1 has one character per byte, so string lengths equal Content-Length
      this.socket.once('connect', () => resolve(this));
      this.socket.on('error', (error) => (reject(error), this.fail?.(error)));
      this.socket.on('close', () => this.fail?.(new Error('the connection was closed')));
      this.socket.on('data', (bytes) => this.take(bytes));
      this.received = '';
    });
  }

  // Sends a GET and returns the status of the response.
  get() {
    return new Promise((resolve, reject) => {
      this.done = resolve;
      this.fail = reject;
      this.socket.write(this.request);
    });
  }

  close() {
    this.fail = null;
    this.socket.destroy();
  }

  take(bytes) {
    this.received += bytes;
    const headEnd = this.received.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const length = Number(this.received.match(/\r\nContent-Length: (\d+)/i)?.[1] ?? 0);
    if (this.received.length < headEnd + 4 + length) return;
    const status = Number(this.received.slice(9, 12));
    this.received = '';
    this.fail = null;
    this.done(status);
  }
}
