// Programs include this where they are built for a CPU simulation, which this is not.
#pragma once
