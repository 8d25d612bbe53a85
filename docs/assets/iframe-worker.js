// Search in a site that is read from the file system, where browsers start no workers: the worker's script runs in a hidden frame.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inner = frame.contentWindow;
      this.inner.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.ready = new Promise((loaded) => {
        const script = this.inner.document.createElement("script");
        script.src = url;
        script.onload = loaded;
        this.inner.document.body.append(script);
      });
    }

    postMessage(data) {
      this.ready.then(() => this.inner.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
}
