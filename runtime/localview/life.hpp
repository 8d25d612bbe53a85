// When a program begins, ends and stops.
#pragma once

namespace kumihimo::localview {

void start();  // collective over the entire set, before the units declare their coarrays
void end();    // this image ends normally: its puts are completed, and nobody needs to wait for it any more
void stop();   // collective, after end() on every image: gives everything back

}  // namespace kumihimo::localview
